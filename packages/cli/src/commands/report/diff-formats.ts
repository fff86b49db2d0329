/** What a difference of reports can be written as, beside the text for a person. */
export const diffFormats = ['json', 'md'] as const

/** Where a difference goes; undefined is standard output. */
export interface DiffTarget {
  id: (typeof diffFormats)[number]
  file: string | undefined
}
