// Holds tez for buyers of one shop (the first caller) and gives them back with its response.

export default function handler(request: Request): Response {
  const url = new URL(request.url);
  const caller = request.headers.get("Referer") ?? "";
  const shop = Kv.get<string>("shop");
  if (shop === null) Kv.set("shop", caller);
  else if (shop !== caller) return new Response("Only the shop may call.", { status: 403 });

  const key = `held/${url.searchParams.get("buyer") ?? ""}`;
  const held = Kv.get<number>(key) ?? 0;
  switch (url.pathname) {
    case "/hold":
      Kv.set(key, held + Number(request.headers.get("X-JSTZ-AMOUNT") ?? 0));
      return new Response("held");
    case "/refund":
      if (held === 0) return new Response("Nothing is held for you.", { status: 404 });
      Kv.delete(key);
      return new Response("refunded", { headers: { "X-JSTZ-TRANSFER": String(held) } });
    default:
      return new Response("Not Found", { status: 404 });
  }
}
