/** The blocks of a language that a page of Markdown shows. */
export const blocksOf = (page: string, language: string): string[] =>
  [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, of, text = '']) => (of === language ? [text] : []))
