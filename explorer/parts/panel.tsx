// A titled section of a view, and its placeholders.
import type { ComponentChildren } from "preact";
import { Failure } from "../state/api.ts";
import type { Loaded } from "../state/loading.ts";
import { visible } from "./code.tsx";

interface PanelProps {
  readonly title: string;
  readonly actions?: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}

export function Panel({ title, actions, class: look = "", children }: PanelProps) {
  return (
    <section class={`panel ${look}`}>
      <header>
        <h2>{title}</h2>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

/** Says why there is nothing to show, and how to change that. */
export function Nothing({ children }: { readonly children: ComponentChildren }) {
  return <p class="nothing">{children}</p>;
}

/** Errors quote what others wrote. */
export function FailureNote({ of }: { readonly of: unknown }) {
  const { message, next } =
    of instanceof Failure ? of : { message: String((of as Error)?.message ?? of), next: "" };
  return (
    <p class="failure" role="alert">
      <strong>{visible(message)}</strong> {visible(next)}
    </p>
  );
}

interface WhenReadProps<T> {
  readonly loaded: Loaded<T>;
  /** Shown when the resource does not exist. */
  readonly missing?: ComponentChildren;
  readonly children: (value: T) => ComponentChildren;
}

export function WhenRead<T>({ loaded, missing = "There is nothing here.", children }: WhenReadProps<T>) {
  if (loaded.failure !== undefined) return <FailureNote of={loaded.failure} />;
  if (loaded.value !== undefined) return <>{children(loaded.value)}</>;
  return loaded.isLoading ? (
    <p class="nothing pulse" role="status">
      Reading…
    </p>
  ) : (
    <Nothing>{missing}</Nothing>
  );
}

/** A list of names with values. */
export function Facts({ of }: { readonly of: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {of
        .filter(([, value]) => value !== undefined && value !== null && value !== false && value !== "")
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
