// Routes of the runtime that smart functions reach by their own `fetch`: the public routes with a single response. An
// allow-list, so that new routes stay closed to functions until they are added here. Event streams are excluded: a
// function would wait for their end in vain.

const NAME = "[A-Za-z0-9]{1,128}"; // an address or a hash: no escapes, no dots
const PUBLIC = new RegExp(
  "^(?:" +
    [
      "/health",
      "/worker/health",
      "/mode",
      "/openapi\\.json",
      "/operations",
      "/operations/hash",
      `/operations/${NAME}/(?:receipt|trace)`,
      "/traces",
      "/deposits",
      `/accounts/${NAME}(?:/(?:nonce|balance|code|kv|kv/subkeys))?`,
      `/logs/${NAME}/persistent/requests(?:/${NAME})?`,
    ].join("|") +
    ")$",
);

/** @param path path of a URL as it is sent, without its query */
export const isPublicPath = (path: string): boolean => PUBLIC.test(path);
