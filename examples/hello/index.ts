// Greets: `functez run "hello/?name=Ada"`.

export default function handler(request: Request): Response {
  const name = new URL(request.url).searchParams.get("name") ?? "world";
  console.log(`greeting ${name}`);
  return new Response(`Hello, ${name}!`);
}
