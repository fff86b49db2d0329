import { termsOf } from './filter.js'

const most = 1_000

/** Shows where the words of a search stand in an element, in browsers that can mark text without changing it. */
export function markSearch(inside: Element, search: string): void {
  if (typeof Highlight === 'undefined') return
  const terms = termsOf(search)
  const ranges: AbstractRange[] = []
  const texts = document.createTreeWalker(inside, NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node && terms.length > 0 && ranges.length < most; node = texts.nextNode()) {
    const text = (node.textContent ?? '').toLowerCase()
    // A letter may have another length in lower case, so that places would not be the same.
    if (text.length !== node.textContent?.length) continue
    for (const term of terms) {
      for (let at = text.indexOf(term); at >= 0 && ranges.length < most; at = text.indexOf(term, at + term.length)) {
        const [startContainer, endContainer] = [node, node]
        ranges.push(new StaticRange({ startContainer, startOffset: at, endContainer, endOffset: at + term.length }))
      }
    }
  }
  CSS.highlights.set('search', new Highlight(...ranges))
}
