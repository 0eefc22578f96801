// Maps routes to views.
import type { ComponentChildren } from "preact";
import { labelOf } from "../state/live.ts";
import type { Route } from "../state/route.ts";
import { shortHash } from "../state/texts.ts";
import { AccountView } from "./account.tsx";
import { BlockView } from "./block.tsx";
import { BlocksView } from "./blocks.tsx";
import { BridgeView } from "./bridge.tsx";
import { ComposeView } from "./compose.tsx";
import { ContractView } from "./contract.tsx";
import { FindView } from "./find.tsx";
import { FunctionsView } from "./functions.tsx";
import { Layer1OperationView } from "./layer1-operation.tsx";
import { OperationView } from "./operation.tsx";
import { Overview } from "./overview.tsx";

export interface View {
  readonly title: string;
  /** Its entry in the navigation. */
  readonly section: string;
  readonly view: ComponentChildren;
}

export function viewOf({ path }: Route): View {
  const [place = "", subject = ""] = path;
  const name = labelOf(subject) ?? shortHash(subject);
  switch (place) {
    case "":
      return { title: "Overview", section: "", view: <Overview /> };
    case "functions":
      return { title: "Functions and accounts", section: "functions", view: <FunctionsView /> };
    case "bridge":
      return { title: "Bridge", section: "bridge", view: <BridgeView /> };
    case "blocks":
      return { title: "Layer 1", section: "blocks", view: <BlocksView /> };
    case "compose":
      return { title: "Compose a request", section: "compose", view: <ComposeView /> };
    case "operation":
      return {
        title: "Operation",
        section: "operation",
        view: <OperationView key={subject} hash={subject} />,
      };
    case "account":
      return { title: name, section: "functions", view: <AccountView key={subject} address={subject} /> };
    case "contract":
      return {
        title: `Contract ${name}`,
        section: "blocks",
        view: <ContractView key={subject} address={subject} />,
      };
    case "block":
      return { title: `Block ${name}`, section: "blocks", view: <BlockView key={subject} of={subject} /> };
    case "l1":
      return {
        title: "Layer 1 operation",
        section: "blocks",
        view: <Layer1OperationView key={subject} hash={subject} />,
      };
    case "find":
      return {
        title: `Search: ${shortHash(subject)}`,
        section: "find",
        view: <FindView key={subject} text={subject} />,
      };
    default:
      return { title: "Not found", section: "find", view: <FindView key={place} text={path.join("/")} /> };
  }
}
