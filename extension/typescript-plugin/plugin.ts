// A plugin of the editor's TypeScript server: it declares the globals of smart functions (`Kv`, `Ledger`, …) in every
// project with an open request handler. Nothing is written, and projects that declare them themselves stay as they are.
import { basename, join } from "node:path";
import type ts from "typescript";

/** The types of the extension, beside the folder of its packages. */
const TYPES = join(__dirname, "../../types/runtime.d.ts");
/** Files of projects that bring these types already, and the packages that declare them. */
const OWN_FILES = ["functez.d.ts", "runtime.d.ts"];
const OWN_PACKAGES = /functez|jstz/;
/** No hand-written smart function is this large. */
const MAX_LENGTH = 2_000_000;
const EXPORT = /\bexport\b/;
const DEFAULT = /\bdefault\b/;
const GLOBALS = /\b(?:Kv|Ledger|SmartFunction)\s*\./;

/** Whether a source uses what only smart functions have. */
export const isSmartFunction = (text: string): boolean =>
  GLOBALS.test(text) && EXPORT.test(text) && DEFAULT.test(text);

/** Part of every project, though not of the published types. */
interface Changeable {
  markAsDirty(): void;
}

/** What the plugin needs of a project. */
type Info = Pick<ts.server.PluginCreateInfo, "languageService" | "languageServiceHost" | "project">;

export function plugin(): { create(info: Info): ts.LanguageService } {
  return {
    create({ languageService, languageServiceHost: host, project }) {
      /** By file: the version that was looked at, and what it was. */
      const seen = new Map<string, { readonly version: string; readonly isFunction: boolean }>();
      const { projectService } = project;

      function isFunction(file: string): boolean {
        const version = host.getScriptVersion(file);
        const before = seen.get(file);
        if (before?.version === version) return before.isFunction;
        const snapshot = host.getScriptSnapshot(file);
        const length = snapshot?.getLength() ?? 0;
        const found = length > 0 && length <= MAX_LENGTH && isSmartFunction(snapshot!.getText(0, length));
        seen.set(file, { version, isFunction: found });
        return found;
      }

      const needsTypes = (files: readonly string[]): boolean =>
        !files.some((file) => OWN_FILES.includes(basename(file))) &&
        !host.getCompilationSettings().types?.some((name) => OWN_PACKAGES.test(name)) &&
        files.some((file) => projectService.openFiles.has(projectService.toPath(file)) && isFunction(file));

      let areAdded = false;
      const scriptFileNames = host.getScriptFileNames.bind(host);
      host.getScriptFileNames = () => {
        const files = scriptFileNames();
        areAdded = needsTypes(files);
        return areAdded ? [...files, TYPES] : files;
      };
      // Opening a file changes nothing in its project, so the server would not read the list again. It asks for the
      // diagnostics of each opened file.
      const semanticDiagnostics = languageService.getSemanticDiagnostics.bind(languageService);
      languageService.getSemanticDiagnostics = (file) => {
        if (needsTypes(scriptFileNames()) !== areAdded) (project as Partial<Changeable>).markAsDirty?.();
        return semanticDiagnostics(file);
      };
      return languageService;
    },
  };
}
