import { expect, it } from "vitest";
import { gatewayIn } from "./inside-container.ts";

const HEAD = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n";

it.each([
  ["eth0\t00000000\t010011AC\t0003\t0\t0\t0\t00000000\t0\t0\t0\n", "172.17.0.1"],
  [
    "eth0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0\neth0\t00000000\t0100A8C0\t0003\n",
    "192.168.0.1",
  ],
  ["eth0\t00000000\t00000000\t0001\n", undefined],
  ["", undefined],
])("reads the gateway of %j", (lines, gateway) => {
  expect(gatewayIn(HEAD + lines)).toBe(gateway);
});
