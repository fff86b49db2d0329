/** Styles a text for a terminal, or returns it unchanged. */
export type Style = (format: 'bold' | 'dim' | 'green' | 'red' | 'yellow' | 'cyan', text: string) => string
