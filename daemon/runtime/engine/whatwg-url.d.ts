// The package ships no types; this is what url-operations.ts uses of it.
declare module "whatwg-url" {
  export class URL {
    constructor(url: string, base?: string);
    static parse(url: string, base?: string): URL | null;
    href: string;
    protocol: string;
    username: string;
    password: string;
    host: string;
    hostname: string;
    port: string;
    pathname: string;
    search: string;
    hash: string;
    readonly origin: string;
  }
}
