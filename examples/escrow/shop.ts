// A shop that sells through an escrow: it calls another smart function with tez attached and passes refunds on.
// The escrow's address is configured once by POST /configure.

export default async function handler(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (request.method === "POST" && pathname === "/configure") {
    if (Kv.contains("escrow")) return new Response("configured already", { status: 409 });
    Kv.set("escrow", ((await request.json()) as { escrow: string }).escrow);
    return new Response("ok");
  }
  const escrow = Kv.get<string>("escrow");
  if (escrow === null) return new Response("not configured", { status: 503 });

  const buyer = request.headers.get("Referer") ?? "";
  if (request.method === "POST" && pathname === "/buy") {
    const paid = Number(request.headers.get("X-JSTZ-AMOUNT") ?? 0);
    if (paid === 0) return new Response("Attach tez to buy.", { status: 402 });
    // The payment moves on to the escrow with the nested call.
    const held = await fetch(
      new Request(`jstz://${escrow}/hold?buyer=${buyer}`, {
        method: "POST",
        headers: { "X-JSTZ-TRANSFER": String(paid) },
      }),
    );
    if (!held.ok) return new Response(await held.text(), { status: held.status });
    Kv.set(`orders/${buyer}`, paid);
    return Response.json({ held: paid });
  }
  if (request.method === "POST" && pathname === "/cancel") {
    const refunded = await fetch(new Request(`jstz://${escrow}/refund?buyer=${buyer}`, { method: "POST" }));
    if (!refunded.ok) return new Response(await refunded.text(), { status: refunded.status });
    const amount = Number(refunded.headers.get("X-JSTZ-AMOUNT") ?? 0);
    Kv.delete(`orders/${buyer}`);
    // The refund travels back to the buyer with this response.
    return new Response(JSON.stringify({ refunded: amount }), {
      headers: { "content-type": "application/json", "X-JSTZ-TRANSFER": String(amount) },
    });
  }
  return new Response("Not Found", { status: 404 });
}
