// Requests and responses as the runtime passes them between callers, guests, host functions and the oracle.

export type HeaderList = readonly (readonly [name: string, value: string])[];
export type Body = string | Uint8Array | null;

export interface CallRequest {
  readonly url: string;
  readonly method: string;
  /** Names in lower case, in order. */
  readonly headers: HeaderList;
  readonly body: Body;
}

/** `status` 0 is a network error (`Response.error()`). */
export interface CallResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: HeaderList;
  readonly body: Body;
}

/** A response without body. */
export function emptyResponse(status: number, statusText: string, headers: HeaderList = []): CallResponse {
  return { status, statusText, headers, body: null };
}

/** A response of text without headers, as host functions answer. */
export function textResponse(status: number, statusText: string, body: string): CallResponse {
  return { status, statusText, headers: [], body };
}

/** Answer for a call that failed: status 500 and a JSON body that names the class and the message. */
export function failureResponse(errorClass: string, message: string): CallResponse {
  return textResponse(500, "InternalServerError", JSON.stringify({ class: errorClass, message }));
}

/** Bytes of a body; null when it is absent. */
export function bodyBytes(body: Body): Uint8Array | null {
  return typeof body === "string" ? Buffer.from(body, "utf8") : body;
}

/** Bytes that a body has. */
export function bodyLength(body: Body): number {
  return typeof body === "string" ? Buffer.byteLength(body) : (body?.length ?? 0);
}

/** Bytes of a response with its headers, about. */
export function responseLength({ body, headers, statusText }: CallResponse): number {
  return headers.reduce(
    (sum, [name, value]) => sum + name.length + value.length,
    bodyLength(body) + statusText.length,
  );
}

/** True for statuses that commit a call. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
