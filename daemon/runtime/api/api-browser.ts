/** A small page that lists the interface from its OpenAPI document; needs nothing from outside. */
export function apiBrowserPage(): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>functez runtime API</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark; }
  code { font-family: ui-monospace, monospace; } b { display: inline-block; min-width: 4rem; text-transform: uppercase; }
  li { margin: .5rem 0; list-style: none; } ul { padding: 0; }
</style>
<h1>functez runtime API</h1>
<p>The document for tools: <a href="/openapi.json"><code>/openapi.json</code></a></p>
<ul id="routes"></ul>
<script>
  fetch("/openapi.json").then((answer) => answer.json()).then(({ paths }) => {
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, route] of Object.entries(methods)) {
        const item = document.createElement("li");
        const name = document.createElement("b");
        const url = document.createElement("code");
        name.textContent = method;
        url.textContent = path;
        item.append(name, url, " ", route.summary);
        document.getElementById("routes").append(item);
      }
    }
  });
</script>
</html>
`;
}
