/** Module name of a smart function, as stack traces show it. */
export function smartFunctionSpecifier(address: string): string {
  return `jstz://${address}`;
}
