// The source of a new smart function, as a beginning to write from.

export const NEW_FUNCTION = `// A smart function: a request handler that keeps its state in Kv.

export default function handler(request: Request): Response {
  const { pathname } = new URL(request.url);
  const count = Kv.get<number>("count") ?? 0;
  if (pathname === "/increment") {
    Kv.set("count", count + 1);
    console.log(\`\${request.headers.get("Referer")} counts to \${count + 1}\`);
    return Response.json({ count: count + 1 });
  }
  return Response.json({ count });
}
`;
