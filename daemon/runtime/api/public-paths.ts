// The part of the runtime's interface that smart functions reach by their own `fetch`: single answers of the public
// interface. Named one by one, so that a route that is added later is closed to them until somebody opens it; event
// streams are left out, for a function would wait for their end in vain.

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
