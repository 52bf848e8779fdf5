// The face of the audit log.
export { listAnchored } from "./chain/anchors.ts";
export { closingKey, unplacedIn } from "./chain/closing.ts";
export {
  anchorAll,
  kinds,
  schedules,
  sealAll,
  tellUnplaced,
  verifyAll,
  verifyOne,
} from "./jobs.ts";
export { listChains } from "./chain/queries.ts";
export { routes } from "./routes.ts";
export { actorOf, operator, record, recordOwn, type Actor } from "./service.ts";
export { auditSection } from "./settings.ts";
export { watchOf } from "./watch.ts";
