// Requests and responses as passed between callers, guests, host functions and the oracle.

export type HeaderList = readonly (readonly [name: string, value: string])[];
export type Body = string | Uint8Array | null;

export interface CallRequest {
  readonly url: string;
  readonly method: string;
  /** Lower-case names, in order. */
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

/** A text response without headers, as host functions send. */
export function textResponse(status: number, statusText: string, body: string): CallResponse {
  return { status, statusText, headers: [], body };
}

/** Response of a failed call: status 500 and a JSON body with the class and the message. */
export function failureResponse(errorClass: string, message: string): CallResponse {
  return textResponse(500, "InternalServerError", JSON.stringify({ class: errorClass, message }));
}

/** Bytes of a body; null when absent. */
export function bodyBytes(body: Body): Uint8Array | null {
  return typeof body === "string" ? Buffer.from(body, "utf8") : body;
}

/** Length of a body in bytes. */
export function bodyLength(body: Body): number {
  return typeof body === "string" ? Buffer.byteLength(body) : (body?.length ?? 0);
}

/** Approximate bytes of a response with its headers. */
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
