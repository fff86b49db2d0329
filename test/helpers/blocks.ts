/** The blocks of a language that a page of Markdown shows, also in lists. */
export const blocksOf = (page: string, language: string): string[] =>
  [...page.matchAll(/^( *)```(\w+)\n([\s\S]*?)^\1```$/gm)].flatMap(([, indent = '', of, text = '']) =>
    of === language ? [text.replaceAll(new RegExp(`^${indent}`, 'gm'), '')] : [],
  )
