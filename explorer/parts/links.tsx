// Links to anything with an address, a hash or a level. Their texts come from the chain and are never markup.
import { labelOf } from "../state/live.ts";
import { linkTo } from "../state/route.ts";
import { shortHash } from "../state/texts.ts";
import { CopyButton } from "./copy-button.tsx";

interface AddressProps {
  readonly of: string;
  /** Shows the full address with a copy button. */
  readonly whole?: boolean;
  /** `contract`: a KT1 address of layer 1, since smart functions have the same form. */
  readonly as?: "contract" | undefined;
}

/** An account of either layer. Host functions and outside hosts have no page. */
export function Address({ of, whole = false, as }: AddressProps) {
  const label = labelOf(of);
  const text = label ?? (whole ? of : shortHash(of));
  if (!/^(?:tz[1-4]|KT1|sr1)/.test(of)) return <span class="mono">{of.slice(0, 80)}</span>;
  return (
    <span class="ref">
      <a class={label ? "" : "mono"} href={linkTo(as ?? "account", of)} title={of} translate={false}>
        {text}
      </a>
      {whole && label && <span class="mono faint wrap">{of}</span>}
      {whole && <CopyButton text={of} what="address" />}
    </span>
  );
}

/** An operation of the runtime. */
export function OperationLink({ hash, children }: { readonly hash: string; readonly children?: string }) {
  return (
    <a
      class={children === undefined ? "mono" : ""}
      href={linkTo("operation", hash)}
      title={hash}
      translate={false}
    >
      {children ?? shortHash(hash)}
    </a>
  );
}

/** An operation of layer 1. */
export function Layer1Link({ hash, children }: { readonly hash: string; readonly children?: string }) {
  return (
    <a class={children === undefined ? "mono" : ""} href={linkTo("l1", hash)} title={hash} translate={false}>
      {children ?? shortHash(hash)}
    </a>
  );
}

export function Level({ of }: { readonly of: number }) {
  return <a href={linkTo("block", String(of))}>{`#${of}`}</a>;
}
