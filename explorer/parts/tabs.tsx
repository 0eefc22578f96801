// Tabs with the usual keyboard pattern: arrows move, Home and End jump.
import type { ComponentChildren } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { visible } from "./code.tsx";

export interface Tab {
  readonly name: string;
  readonly show: () => ComponentChildren;
}

export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const id = useId();
  const [chosen, setChosen] = useState(tabs[0]?.name);
  const list = useRef<HTMLDivElement>(null);
  const index = Math.max(
    0,
    tabs.findIndex(({ name }) => name === chosen),
  );
  const current = tabs[index];
  if (!current) return null;

  const move = (event: KeyboardEvent) => {
    const steps: Record<string, number> = {
      ArrowRight: index + 1,
      ArrowLeft: index - 1,
      Home: 0,
      End: tabs.length - 1,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (step + tabs.length) % tabs.length;
    setChosen(tabs[next]!.name);
    (list.current?.children[next] as HTMLElement | undefined)?.focus();
  };
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map(({ name }, i) => (
          <button
            type="button"
            role="tab"
            id={`${id}-${i}`}
            key={name}
            aria-selected={i === index}
            aria-controls={`${id}-panel`}
            tabIndex={i === index ? 0 : -1}
            onClick={() => setChosen(name)}
          >
            {visible(name)}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${index}`} tabIndex={0}>
        {current.show()}
      </div>
    </div>
  );
}
