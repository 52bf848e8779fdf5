// The face of the audit log.
export { listAnchored } from "./anchors.ts";
export { closingKey, unplacedIn } from "./closing.ts";
export {
  anchorAll,
  kinds,
  schedules,
  sealAll,
  tellUnplaced,
  verifyAll,
  verifyOne,
} from "./jobs.ts";
export { listChains } from "./queries-chain.ts";
export { routes } from "./routes.ts";
export { actorOf, operator, record, recordOwn, type Actor } from "./service.ts";
export { auditSection } from "./settings.ts";
export { watchOf } from "./watch.ts";
