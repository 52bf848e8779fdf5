// The face of resealing, which stands above every noun that keeps something encrypted.
export { sealedColumns } from "./queries-columns.ts";
export { countSealed, placeOf, resealAll } from "./reseal.ts";
