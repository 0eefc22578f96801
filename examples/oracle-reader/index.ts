// Reads the outside world: `fetch` of an http(s) URL goes through the runtime's oracle. Nothing may be read or
// written in Kv before the answer is there, so the result is stored afterwards.

export default async function handler(request: Request): Promise<Response> {
  const url = new URL(request.url);
  if (url.pathname === "/latest") return Response.json(Kv.get("latest") ?? { status: "nothing read yet" });

  const source = url.searchParams.get("source");
  if (source === null) return new Response("Give ?source=https://…", { status: 400 });
  const answer = await fetch(source);
  const text = (await answer.text()).slice(0, 200);
  if (!answer.ok) return Response.json({ source, status: answer.status, text }, { status: 502 });
  Kv.set("latest", { source, status: answer.status, text });
  return Response.json({ source, status: answer.status, text });
}
