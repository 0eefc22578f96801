// The frame around every view: navigation, search, the state of the sandbox.
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "./parts/icon.tsx";
import { head, health, isConnected } from "./state/live.ts";
import { goTo, linkTo, route } from "./state/route.ts";
import { viewOf } from "./views/view-of.tsx";

const PLACES = [
  ["", "Overview"],
  ["functions", "Functions"],
  ["bridge", "Bridge"],
  ["blocks", "Layer 1"],
  ["compose", "Compose"],
] as const;

export function Shell() {
  const { path } = route.value;
  const { title, section, view } = viewOf(route.value);
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = `${title} · functez`;
    // Move the focus from the link to the new view, but never away from a field.
    const isTyping = document.activeElement?.matches("input, select, textarea") ?? false;
    if (!isFirst.current && !isTyping) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
    scrollTo(0, 0);
  }, [path.join("/")]);
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        Skip to content
      </a>
      <header class="top">
        <a class="brand" href={linkTo()}>
          <img src="icon.svg" alt="" width="26" height="26" />
          <span>functez</span>
        </a>
        <nav aria-label="Views">
          {PLACES.map(([place, name]) => (
            <a
              key={place}
              href={linkTo(...(place ? [place] : []))}
              aria-current={section === place ? "page" : undefined}
            >
              {name}
            </a>
          ))}
        </nav>
        <Search />
        <State />
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        <h1 class={section === "" ? "unseen" : ""}>{title}</h1>
        {view}
      </main>
    </>
  );
}

function Search() {
  const search = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const text = String(new FormData(form).get("text") ?? "").trim();
    if (text === "") return;
    goTo("find", text);
    form.reset();
    document.getElementById("main")?.focus({ preventScroll: true });
  };
  return (
    <form class="search" role="search" onSubmit={search}>
      <Icon name="search" />
      <input
        name="text"
        type="search"
        aria-label="Search"
        placeholder="Address, hash, level or name"
        autocomplete="off"
        spellcheck={false}
      />
    </form>
  );
}

/** The state of the sandbox in one word, and the level of the chain. */
function State() {
  const state = isConnected.value === false ? "not reachable" : (health.value?.status ?? "connecting");
  const look = state === "healthy" ? "good" : state === "connecting" || state === "starting" ? "wait" : "bad";
  return (
    <p class={`state ${look}`} role="status">
      <span class="dot" aria-hidden="true" />
      <span>{state}</span>
      {head.value && <span class="faint level">{`#${head.value.level}`}</span>}
    </p>
  );
}
