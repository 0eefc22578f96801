// Entry of the thread that finds the sources of places in deployed code: unpacking a large map takes too long for the
// thread of the server. One thread for each question.
import { parentPort, workerData } from "node:worker_threads";
import type { CodePlace, SourcePlace } from "../../protocol/debug-api.ts";
import type { ShelvedSource } from "./debug-messages.ts";
import { Originals } from "./originals.ts";

export interface PlaceThreadInput {
  readonly asked: readonly CodePlace[];
  readonly sources: ReadonlyMap<string, ShelvedSource>;
}

const { asked, sources } = workerData as PlaceThreadInput;
// A map inside the code is its author's, who may name any file: only the shelf counts.
const originals = new Originals(sources, () => undefined);
const found = asked.map(
  ({ address, line, column }): SourcePlace | null =>
    originals.original(`jstz://${address}`, line, column) ?? null,
);
parentPort!.postMessage(found);
