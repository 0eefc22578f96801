// Links to sources in texts of functions: logs, call trees and bodies of responses. Only what the sandbox's source maps
// say becomes a link, and only into files of the workspace.
import { resolve } from "node:path";
import * as vscode from "vscode";
import { createDebugClient } from "../../daemon/client/debug-client.ts";
import { findAdminSecret } from "../../daemon/local/kept-secrets.ts";
import { type CodePlace, MAX_CODE_PLACES, type SourcePlace } from "../../daemon/protocol/debug-api.ts";
import { codePlacesIn, withSources } from "../../daemon/text/source-places.ts";
import { SCHEMES } from "../ids.ts";
import type { SandboxSession } from "../session/sandbox-session.ts";
import { PlaceNames } from "./linked-places.ts";

/** Output channels and responses are ours; their documents have these schemes. */
const LINKED: vscode.DocumentSelector = [{ scheme: "output" }, { scheme: SCHEMES.response }];
const OUR_CHANNEL = "functez";

export interface SourceLinks extends vscode.Disposable {
  /** The text with `src/file.ts:line:column` for places of deployed code; as it is where nothing is known. */
  inSources(text: string): Promise<string>;
  /** The first place in a text of {@link inSources} that is in a file of the workspace. */
  firstPlace(text: string): (vscode.Location & { readonly name: string }) | undefined;
}

export function createSourceLinks(session: Pick<SandboxSession, "sandbox">): SourceLinks {
  const names = new PlaceNames<vscode.Location>();

  async function find(places: readonly CodePlace[]): Promise<readonly (SourcePlace | null)[]> {
    const { sandbox } = session;
    if (!sandbox) return places.map(() => null);
    const client = createDebugClient(sandbox.sandboxd, {
      adminSecret: () => findAdminSecret(sandbox.sandboxd, process.env),
    });
    // Somebody else's sandbox, a runtime without a debugger, or a busy one: texts stay as they are.
    return client.places(places).catch(() => places.map(() => null));
  }

  const provider: vscode.DocumentLinkProvider = {
    async provideDocumentLinks(document) {
      if (document.uri.scheme === "output" && !document.uri.path.includes(OUR_CHANNEL)) return [];
      const text = document.getText();
      const rangeOf = (start: number, end: number): vscode.Range =>
        new vscode.Range(document.positionAt(start), document.positionAt(end));
      const named = names
        .in(text)
        .map(({ start, end, name }) => linkTo(rangeOf(start, end), names.get(name)));
      // A body is shown as the function sent it, with places of its code.
      const inCode = codePlacesIn(text).slice(0, MAX_CODE_PLACES);
      const found = inCode.length === 0 ? [] : await find(inCode.map(placeOf));
      const raw = inCode.map(({ start, end }, i) => linkTo(rangeOf(start, end), locationOf(found[i])));
      return [...named, ...raw].filter((link) => link !== undefined);
    },
  };
  const registration = vscode.languages.registerDocumentLinkProvider(LINKED, provider);

  return {
    async inSources(text) {
      const shown = await withSources(text, find, (source) => vscode.workspace.asRelativePath(source));
      for (const [name, place] of shown.sources) {
        const location = locationOf(place);
        if (location) names.set(name, location);
      }
      return shown.text;
    },
    firstPlace(text) {
      const [first] = names.in(text);
      const location = first && names.get(first.name);
      return (
        location && Object.assign(new vscode.Location(location.uri, location.range), { name: first.name })
      );
    },
    dispose: () => registration.dispose(),
  };
}

const placeOf = ({ address, line, column }: CodePlace): CodePlace => ({ address, line, column });

/** Undefined outside of the workspace. */
function locationOf(place: SourcePlace | null | undefined): vscode.Location | undefined {
  if (!place) return undefined;
  const uri = vscode.Uri.file(resolve(place.source));
  if (!vscode.workspace.getWorkspaceFolder(uri)) return undefined;
  return new vscode.Location(
    uri,
    new vscode.Position(Math.max(0, place.line - 1), Math.max(0, place.column - 1)),
  );
}

function linkTo(range: vscode.Range, to: vscode.Location | undefined): vscode.DocumentLink | undefined {
  if (!to) return undefined;
  const { line, character } = to.range.start;
  const link = new vscode.DocumentLink(range, to.uri.with({ fragment: `L${line + 1},${character + 1}` }));
  link.tooltip = vscode.l10n.t("Open {0}, line {1}", vscode.workspace.asRelativePath(to.uri), line + 1);
  return link;
}
