// Dependencies of the commands; created once in extension.ts.
import type { CallErrors } from "../editor/call-errors.ts";
import type { DeployDiagnostics } from "../editor/deploy-diagnostics.ts";
import type { SourceLinks } from "../editor/source-links.ts";
import type { Responses } from "../requests/response-documents.ts";
import type { SessionDependencies } from "../session/dependencies.ts";

export interface CommandDependencies extends SessionDependencies {
  readonly responses: Responses;
  readonly diagnostics: DeployDiagnostics;
  readonly links: SourceLinks;
  readonly callErrors: CallErrors;
}
