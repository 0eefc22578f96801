// What describes the interface: a bundle of its own (`runtime-documents.cjs`), loaded when somebody asks for it.
export { apiBrowserPage } from "./api-browser.ts";
export { openApiDocument } from "./openapi.ts";
