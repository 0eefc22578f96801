// URLPattern, from urlpattern-polyfill, which uses the global URL.

export { URLPattern } from "urlpattern-polyfill/urlpattern";
