// All that hears of an answered request: metrics and the server's own log, the request log, the audit log, traces.
import type { World } from "../kernel/context.ts";
import type { AnsweredRequest } from "../kernel/http/exchange/exchange.ts";
import * as audit from "./audit/module.ts";
import * as operations from "./operations/module.ts";
import * as requests from "./requests/module.ts";
import * as requestBodies from "./request_bodies/module.ts";
import * as traffic from "./traffic/module.ts";

type Spans = ReturnType<typeof operations.makeRequestSpans>;

export function hearOfAnswers(world: World, spans: Spans): (facts: AnsweredRequest) => void {
  const log = requests.requestLogOf(world);
  const note = operations.makeRequestLogger(
    world,
    world.instruments,
    traffic.trafficPart.of(world),
    (facts) => requests.answerInShort(requests.knownRecordOf(facts)),
  );
  const keeper = requestBodies.bodyKeeperOf(world);
  const watch = audit.accessRecorderOf(world);
  return (facts) => {
    note(facts);
    log.noteAnswered(facts);
    keeper.noteAnswered(facts);
    watch.note(facts);
    spans?.answered(facts);
  };
}
