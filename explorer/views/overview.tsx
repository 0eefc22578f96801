// The start page: health, endpoints, balances and latest operations.
import { CopyButton } from "../parts/copy-button.tsx";
import { Address } from "../parts/links.tsx";
import { Tez } from "../parts/marks.tsx";
import { Nothing, Panel } from "../parts/panel.tsx";
import { accounts, health, isFilled, settings } from "../state/live.ts";
import { Faucet } from "./faucet.tsx";
import { LatestOperations } from "./latest-operations.tsx";

export function Overview() {
  return (
    <div class="overview">
      <div class="side">
        <Endpoints />
        <Accounts />
        <Faucet />
      </div>
      <LatestOperations />
    </div>
  );
}

function Endpoints() {
  const { layer1_node: layer1, runtime_node: runtime } = settings.value ?? {};
  const here = location.origin;
  const rows = [
    ["sandboxd", here],
    ["Tezos RPC", withScheme(layer1?.rpc_endpoint)],
    ["Runtime", withScheme(runtime?.endpoint)],
    ["TzKT", `${here}/tzkt`],
  ] as const;
  const troubled = health.value?.parts.filter(({ state }) => state !== "healthy") ?? [];
  return (
    <Panel
      title="Endpoints"
      actions={<span class="faint">{health.value && `functez ${health.value.version}`}</span>}
    >
      <ul class="endpoints">
        {rows.map(([name, url]) => (
          <li key={name}>
            <span>{name}</span>
            <code class="mono">{url?.replace(/^http:\/\//, "") ?? "…"}</code>
            {url !== undefined && <CopyButton text={url} what={`address of ${name}`} />}
          </li>
        ))}
      </ul>
      {troubled.map(({ name, state, detail }) => (
        <p class="failure" key={name}>
          <strong>{`${name} is ${state}.`}</strong> {detail}
        </p>
      ))}
    </Panel>
  );
}

const withScheme = (endpoint: string | undefined): string | undefined =>
  endpoint === undefined || endpoint.startsWith("http") ? endpoint : `http://${endpoint}`;

function Accounts() {
  return (
    <Panel title="Accounts">
      {accounts.value.length === 0 && !isFilled.value ? (
        <Nothing>Reading…</Nothing>
      ) : (
        <table class="balances">
          <thead>
            <tr>
              <th>Account</th>
              <th class="number">Layer 1</th>
              <th class="number">Runtime</th>
            </tr>
          </thead>
          <tbody>
            {accounts.value.map(({ address, layer1_balance: onLayer1, runtime_balance: inRuntime }) => (
              <tr key={address}>
                <td>
                  <Address of={address} />
                </td>
                <td class="number">
                  <Tez of={onLayer1} />
                </td>
                <td class={inRuntime === "0" ? "number faint" : "number"}>
                  <Tez of={inRuntime} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}
