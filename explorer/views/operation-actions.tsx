// Actions on an operation: run it again, edit and send it, copy it for other tools.
import { useState } from "preact/hooks";
import type { KeptRequest } from "../../daemon/protocol/call-trace.ts";
import { copiesOf } from "../../daemon/protocol/request-copies.ts";
import { formatTez } from "../../daemon/protocol/tez-text.ts";
import { bytesOf } from "../parts/body.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { Icon } from "../parts/icon.tsx";
import { FailureNote } from "../parts/panel.tsx";
import { post } from "../state/api.ts";
import { draft, type SentRequest } from "../state/history.ts";
import { accounts } from "../state/live.ts";
import { goTo } from "../state/route.ts";
import { requestBody, runRequest } from "../state/run-request.ts";
import type { Operation } from "../state/trace.ts";

export function OperationActions({ operation }: { readonly operation: Operation }) {
  const request = operation.request!;
  const [failure, setFailure] = useState<unknown>();
  // Only accounts of the sandbox can sign here; the first one replaces any other sender.
  const signer = accounts.value.find(({ address }) => address === operation.sender) ?? accounts.value[0];
  const again = draftOf(request, signer?.label ?? "bootstrap0");
  const address = new URL("../runtime/operations", location.href.split("#")[0]).href;
  const ran = { address, status: operation.statusCode ?? 200 };
  const isWhole = request.headers !== null && (request.body !== null || request.bodySize === 0);
  // A binary body can be resent, but neither edited nor quoted.
  const isText = request.body === null || isUtf8(bytesOf(request.body));
  const run = async () => {
    try {
      const report = await post<{ hash: string }>("../runtime/operations", {
        ...runRequest(again),
        ...(request.body !== null && { body: undefined, body_base64: request.body }),
      });
      if (report) goTo("operation", report.hash);
    } catch (error) {
      setFailure(error);
    }
  };
  const edit = () => {
    draft.value = again;
    goTo("compose");
  };
  return (
    <div class="actions">
      {isWhole && (
        <>
          <button type="button" class="button small" onClick={run} title={`Signed by ${again.from}`}>
            <Icon name="again" />{" "}
            <span>{signer?.address === operation.sender ? "Run again" : `Run again as ${again.from}`}</span>
          </button>
          {isText && (
            <button type="button" class="button small" onClick={edit}>
              <Icon name="edit" /> <span>Edit and send</span>
            </button>
          )}
          {isText && (
            <details class="menu">
              <summary class="button small">
                <Icon name="copy" /> <span>Copy as…</span>
              </summary>
              <div class="menu-items">
                {copiesOf(runRequest(again), ran).map(({ name, text }) => (
                  <CopyButton key={name} text={text} what={name} label={name} />
                ))}
              </div>
            </details>
          )}
        </>
      )}
      {failure !== undefined && <FailureNote of={failure} />}
    </div>
  );
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Converts a kept request for the composer. */
function draftOf({ uri, method, headers, body }: KeptRequest, from: string): SentRequest {
  const lines = Object.entries(headers ?? {}).flatMap(([name, values]) =>
    name === "x-jstz-transfer" ? [] : [values].flat().map((value) => `${name}: ${value}`),
  );
  const attached = headers?.["x-jstz-transfer"];
  return {
    from,
    method,
    url: uri,
    headers: lines.join("\n"),
    body: body === null ? "" : requestBody(bytesOf(body)),
    tez: typeof attached === "string" && /^\d+$/.test(attached) ? formatTez(BigInt(attached)) : "",
  };
}
