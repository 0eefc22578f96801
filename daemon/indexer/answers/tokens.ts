// Tokens, their balances and transfers.
import type { TokenBalanceState, TokenState, TokenTransferRow } from "../chain/index-rows.ts";
import { type Fields, filtersOf } from "../query/filters.ts";
import { countOf, pageOf } from "../query/selection.ts";
import type { QueryRequest, Route } from "./route.ts";

const supplyOf = ({ totalMinted, totalBurned }: TokenState): bigint => totalMinted - totalBurned;

const tokenRow = (token: TokenState): object => {
  const { totalMinted, totalBurned, metadata, ...rest } = token;
  return {
    ...rest,
    totalMinted: String(totalMinted),
    totalBurned: String(totalBurned),
    totalSupply: String(supplyOf(token)),
    ...(metadata && { metadata }),
  };
};

/** A token as nested in other rows. */
const tokenInfo = (token: TokenState): object => {
  const { id, contract, tokenId, standard, metadata } = token;
  return {
    id,
    contract,
    tokenId,
    standard,
    totalSupply: String(supplyOf(token)),
    ...(metadata && { metadata }),
  };
};

const balanceRow = ({ token, balance, ...rest }: TokenBalanceState): object => {
  const { id, account, ...times } = rest;
  return { id, account, token: tokenInfo(token), balance: String(balance), ...times };
};

/** A transfer, for lists and the hub. */
export const transferRow = ({
  id,
  level,
  timestamp,
  token,
  from,
  to,
  amount,
  ...cause
}: TokenTransferRow): object => ({
  id,
  level,
  timestamp,
  token: tokenInfo(token),
  ...(from && { from }),
  ...(to && { to }),
  amount: String(amount),
  ...cause,
});

/** A balance, for lists and the hub. */
export const shownBalance = balanceRow;

const TOKENS: Fields<TokenState> = {
  id: { kind: "number", read: ({ id }) => id },
  contract: { kind: "account", read: ({ contract }) => contract },
  tokenId: { kind: "amount", read: ({ tokenId }) => tokenId },
  standard: { kind: "text", read: ({ standard }) => standard },
  firstMinter: { kind: "account", read: ({ firstMinter }) => firstMinter },
  firstLevel: { kind: "number", read: ({ firstLevel }) => firstLevel },
  lastLevel: { kind: "number", read: ({ lastLevel }) => lastLevel },
  holdersCount: { kind: "number", read: ({ holdersCount }) => holdersCount },
  metadata: { kind: "json", read: ({ metadata }) => metadata },
};

/** Filter fields of the token nested in a row. */
function ofToken<Row extends { readonly token: TokenState }>(): Fields<Row> {
  return Object.fromEntries(
    Object.entries(TOKENS).map(([name, { kind, read }]) => [
      `token.${name}`,
      { kind, read: ({ token }: Row) => read(token) },
    ]),
  );
}

const BALANCES: Fields<TokenBalanceState> = {
  id: { kind: "number", read: ({ id }) => id },
  account: { kind: "account", read: ({ account }) => account },
  balance: { kind: "amount", read: ({ balance }) => balance },
  firstLevel: { kind: "number", read: ({ firstLevel }) => firstLevel },
  lastLevel: { kind: "number", read: ({ lastLevel }) => lastLevel },
  transfersCount: { kind: "number", read: ({ transfersCount }) => transfersCount },
  ...ofToken<TokenBalanceState>(),
};

const TRANSFERS: Fields<TokenTransferRow> = {
  id: { kind: "number", read: ({ id }) => id },
  level: { kind: "number", read: ({ level }) => level },
  timestamp: { kind: "time", read: ({ timestamp }) => timestamp },
  from: { kind: "account", read: ({ from }) => from },
  to: { kind: "account", read: ({ to }) => to },
  amount: { kind: "amount", read: ({ amount }) => amount },
  transactionId: { kind: "number", read: ({ transactionId }) => transactionId },
  originationId: { kind: "number", read: ({ originationId }) => originationId },
  ...ofToken<TokenTransferRow>(),
};

const tokensText = (request: QueryRequest): Promise<string> =>
  pageOf(request.index.tokens.values(), {
    ...request,
    filters: filtersOf(request.query, TOKENS),
    sorts: {
      id: ({ id }) => id,
      tokenId: ({ tokenId }) => BigInt(tokenId),
      firstLevel: ({ firstLevel }) => firstLevel,
      lastLevel: ({ lastLevel }) => lastLevel,
      transfersCount: ({ transfersCount }) => transfersCount,
      holdersCount: ({ holdersCount }) => holdersCount,
    },
    cursor: ({ id }) => id,
    show: tokenRow,
  });

const balancesText = (request: QueryRequest): Promise<string> =>
  pageOf(request.index.balances.values(), {
    ...request,
    filters: filtersOf(request.query, BALANCES),
    sorts: {
      id: ({ id }) => id,
      balance: ({ balance }) => balance,
      firstLevel: ({ firstLevel }) => firstLevel,
      lastLevel: ({ lastLevel }) => lastLevel,
      transfersCount: ({ transfersCount }) => transfersCount,
    },
    cursor: ({ id }) => id,
    show: balanceRow,
  });

const transfersText = (request: QueryRequest): Promise<string> =>
  pageOf(request.index.transfers, {
    ...request,
    filters: filtersOf(request.query, TRANSFERS),
    sorts: { id: ({ id }) => id, level: ({ level }) => level, amount: ({ amount }) => amount },
    cursor: ({ id }) => id,
    show: transferRow,
  });

export const TOKEN_ROUTES: readonly Route[] = [
  { path: "tokens", answer: tokensText },
  {
    path: "tokens/count",
    answer: ({ index, query, work }) => countOf(index.tokens.values(), filtersOf(query, TOKENS), work),
  },
  { path: "tokens/balances", answer: balancesText },
  {
    path: "tokens/balances/count",
    answer: ({ index, query, work }) => countOf(index.balances.values(), filtersOf(query, BALANCES), work),
  },
  { path: "tokens/transfers", answer: transfersText },
  {
    path: "tokens/transfers/count",
    answer: ({ index, query, work }) => countOf(index.transfers, filtersOf(query, TRANSFERS), work),
  },
];
