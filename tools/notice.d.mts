/** The whole text of NOTICE.md. Needs a build. */
export function noticeText(): Promise<string>;
