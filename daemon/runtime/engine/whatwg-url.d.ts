// The package ships no types; these are the declarations that url-operations.ts needs.
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
