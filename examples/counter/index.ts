// A counter for each caller, kept in the function's key-value store.

export default function handler(request: Request): Response {
  const { pathname } = new URL(request.url);
  // The runtime sets `Referer` to the address of the caller; nobody can forge it.
  const key = `counters/${request.headers.get("Referer")}`;
  const count = Kv.get<number>(key) ?? 0;

  switch (pathname) {
    case "/increment":
      Kv.set(key, count + 1);
      return Response.json({ count: count + 1 });
    case "/decrement":
      Kv.set(key, count - 1);
      return Response.json({ count: count - 1 });
    case "/get":
      return Response.json({ count });
    default:
      return new Response("Use /increment, /decrement or /get.", { status: 404 });
  }
}
