// The face of the audit log.
export { listAnchored } from "./chain/anchors.ts";
export { closingKey, findUnsealed } from "./chain/closing.ts";
export { countSigned, signAgain } from "./chain/sign-again.ts";
export {
  anchorAll,
  kinds,
  schedules,
  sealAll,
  reportUnsealed,
  verifyAll,
  verifyOne,
} from "./jobs.ts";
export { listChains, readHead } from "./chain/queries.ts";
export { listBehind } from "./queries.ts";
export { routes } from "./routes.ts";
export { actorOf, operator, record, recordByCaller, type AuditActor } from "./service.ts";
export { auditSection } from "./settings.ts";
export { auditExportPart, checkAuditExport, exportHealthOf } from "./sink/health.ts";
export { auditExportSection, readAuditExport } from "./sink/settings.ts";
export { accessRecorderOf, accessRecorderPart } from "./access-recorder.ts";
export { searchables } from "./found/queries.ts";
