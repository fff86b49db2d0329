import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'
import { textOfValue } from '../../conversation/index.js'
import { wordSet } from '../../json/index.js'
import { Losses, reasons } from '../../model/index.js'
import { isGiven } from '../places.js'

export { decodeHTML }

const blocks = wordSet(
  'address article aside blockquote br dd div dl dt fieldset footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tr ul',
)
const hidden = new Set(['script', 'style', 'head', 'title', 'template'])

/**
 * HTML as text: removes tags, turns blocks and `<br>` into line breaks, decodes entities, collapses blanks outside `<pre>`. Addresses that
 * are not in the text of their link, and images, which leave a placeholder such as `[image: a cat]`, are counted as lost.
 * Not a full parser: it reads help-desk messages in linear time.
 */
export function textOfHtml(html: unknown, losses: Losses): string {
  const text = textOfValue(html)
  losses.noteAll(html)
  return text === undefined ? '' : new HtmlReader(text).read(losses)
}

class HtmlReader {
  readonly #html: string
  readonly #lines: string[] = []
  #line = ''
  #isPreformatted = false
  #links = 0
  #images = 0
  /** A search that failed once fails for the rest too. */
  readonly #absent = new Set<string>()

  constructor(html: string) {
    this.#html = html
  }

  read(losses: Losses): string {
    let at = 0
    while (at < this.#html.length) {
      const open = this.#find('<', at)
      this.#line += decodeHTML(this.#html.slice(at, open))
      at = open < this.#html.length ? this.#tag(open) : open
    }
    this.#break()
    if (this.#links > 0) losses.drop('link address', 'only the text of a link is kept', this.#links)
    if (this.#images > 0) losses.drop('image in HTML', reasons.placeholder, this.#images)
    return this.#lines.join('\n')
  }

  #find(text: string, from: number): number {
    if (this.#absent.has(text)) return this.#html.length
    const found = this.#html.indexOf(text, from)
    if (found === -1) this.#absent.add(text)
    return found === -1 ? this.#html.length : found
  }

  #tag(open: number): number {
    if (this.#html.startsWith('<!--', open)) return this.#find('-->', open + 4) + 3
    const close = this.#find('>', open)
    const tag = /^<\/?([a-z][a-z\d]*)|^<[!?]/i.exec(this.#html.slice(open, open + 20))
    if (!tag || close === this.#html.length) {
      this.#line += '<'
      return open + 1
    }
    const name = tag[1]?.toLowerCase() ?? ''
    const isEnd = this.#html[open + 1] === '/'
    if (this.#isPreformatted && name === 'br') this.#line += '\n'
    else if (blocks.has(name)) this.#break()
    else if (name === 'td' || name === 'th') this.#line += ' '
    else if (name === 'img') this.#image(this.#html.slice(open, close))
    else if (name === 'a' && !isEnd) this.#link(open, close)
    if (name === 'pre') this.#isPreformatted = !isEnd
    return hidden.has(name) && !isEnd ? this.#endOf(name, close + 1) : close + 1
  }

  #endOf(name: string, from: number): number {
    const end = Math.min(this.#find(`</${name}`, from), this.#find(`</${name.toUpperCase()}`, from))
    // Without an end tag, nothing is hidden.
    return end === this.#html.length ? from : end
  }

  #image(tag: string): void {
    const alt = attribute(tag, 'alt') ?? attribute(tag, 'src') ?? ''
    this.#images += 1
    this.#line += alt === '' || alt.startsWith('data:') ? '[image]' : `[image: ${alt.slice(0, 200)}]`
  }

  #link(open: number, close: number): void {
    const address = attribute(this.#html.slice(open, close), 'href')
    if (address === undefined || address.startsWith('#')) return
    const label = this.#html.slice(close + 1, close + 1 + address.length + 20)
    if (!label.includes(address.replace(/^(mailto|tel):/, ''))) this.#links += 1
  }

  /** In `<pre>` lines and blanks are kept, but for the line break after the tag and blanks at the end. */
  #break(): void {
    const text = this.#isPreformatted
      ? this.#line.replace(/^\r?\n/, '').trimEnd()
      : this.#line.replace(/[ \t\r\n\f]+/g, ' ').trim()
    if (text !== '') this.#lines.push(text.replaceAll('\u00a0', ' '))
    this.#line = ''
  }
}

function attribute(tag: string, name: string): string | undefined {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(tag)
  return found ? decodeHTMLAttribute(found[1] ?? found[2] ?? found[3] ?? '') : undefined
}

/** The text, or that of the HTML. Beside a text, the HTML is usually the same. */
export function textOrHtml(text: unknown, html: unknown, losses: Losses): unknown {
  if (!isGiven(html)) return text
  if (!isGiven(text)) return textOfHtml(html, losses)
  const isSame = typeof text === 'string' && plain(textOfHtml(html, new Losses())) === plain(text)
  if (isSame) losses.note(html)
  else losses.dropValue(html, 'HTML that differs from the text', 'the text beside it is read instead')
  return text
}

const plain = (text: string) => text.replaceAll(/\s/g, '')
