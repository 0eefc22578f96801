// The sum that no transfer changes, for tests about lost and doubled money.

/**
 * Whole tez of all accounts of a sandbox on both sides, ignoring the burnt fees.
 * @param endpoint address of sandboxd
 */
export async function totalTez(endpoint: string): Promise<bigint> {
  const { accounts } = (await (await fetch(`${endpoint}/accounts`)).json()) as {
    accounts: { layer1_balance: string; runtime_balance: string }[];
  };
  const whole = (mutez: string) => (BigInt(mutez) + 999_999n) / 1_000_000n; // fees total less than a tez
  return accounts.reduce(
    (sum, { layer1_balance, runtime_balance }) => sum + whole(layer1_balance) + whole(runtime_balance),
    0n,
  );
}
