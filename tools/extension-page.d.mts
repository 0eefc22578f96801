export function extensionPage(text: string, pictures: string | undefined): string;
