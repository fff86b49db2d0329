import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Losses } from '../../model/index.js'
import { textOfHtml } from './html.js'

const textOf = (html: string) => textOfHtml(html, new Losses())

describe('tags', () => {
  it('tags go, and blocks become line breaks', () => {
    expect(textOf('<p>Hello <b>Ada</b>,</p>\n<p>one<br/>two</p><ul>\n<li>x</li><li>y</li></ul>')).toBe(
      'Hello Ada,\none\ntwo\nx\ny',
    )
    expect(textOf('<table><tr><td>a</td><td>b</td></tr></table>')).toBe('a b')
  })

  it('tags that hide their content take it with them, and comments too', () => {
    expect(textOf('a<style>p { x }</style><!-- no > here --><SCRIPT>1 < 2</SCRIPT>b')).toBe('ab')
  })

  it('tags without an end or a name are text', () => {
    expect(textOf('1 < 2 and 3<4, a <b')).toBe('1 < 2 and 3<4, a <b')
    expect(textOf('<script>alert')).toBe('alert')
  })
})

describe('entities', () => {
  it('become characters, unknown ones stay', () => {
    expect(textOf('a&nbsp;&amp;&lt;b&gt; &#228;&#x1F600; &unknown; &#0;&#xD800; &')).toBe(
      'a &<b> ä😀 &unknown; \uFFFD\uFFFD &',
    )
  })

  it('entities are read once', () => {
    expect(textOf('&amp;lt; <img alt="&amp;lt;">')).toBe('&lt; [image: &lt;]')
  })

  it.each([
    ['K&oslash;benhavn &rarr; Malm&ouml; &frac12;', 'København → Malmö ½'],
    ['s&iacute;, ma&ntilde;ana. Za&zcaron;&oacute;&lstrok;&cacute;', 'sí, mañana. Zažółć'],
    ['&NotEqualTilde; &#128; &copy 2026', '≂̸ € © 2026'],
  ])('have all names of HTML: %s', (html, text) => {
    expect(textOf(html)).toBe(text)
  })
})

describe('pre', () => {
  it('keeps its lines and blanks', () => {
    expect(
      textOf('<p>Use  this:</p><pre><code>if x:\n    run()\n\nelse:<br>  stop()\n</code></pre>  then <b> go</b>'),
    ).toBe('Use this:\nif x:\n    run()\n\nelse:\n  stop()\nthen go')
    expect(textOf('<PRE>\r\n  a\r\n</PRE>')).toBe('  a')
    expect(textOf('<pre><div>a</div><div>  b</div>')).toBe('a\n  b')
  })

  it('keeps any text but blanks at its end', () => {
    const text = fc.string({ unit: fc.constantFrom(...'ab<>&"é\t \n') })
    const escaped = (words: string) => words.replace(/[<>&"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    const property = fc.property(text, (words) => {
      const read = textOf(`<p>x</p><pre>\n${escaped(words)}</pre>`)
      expect(read).toBe(words.trim() === '' ? 'x' : `x\n${words.trimEnd()}`)
    })
    fc.assert(property)
  })
})

it('replaces images by placeholders, and counts them and the links that lose their URL', () => {
  const html =
    '<a href="https://example.com/a">here</a> <a href="https://example.com">https://example.com</a> <img src="x.png" alt="A cat"><img src="data:image/png;base64,QUJD">'
  const losses = new Losses()
  expect(textOfHtml(html, losses)).toBe('here https://example.com [image: A cat][image]')
  expect(losses.list()).toMatchObject([
    { what: 'link address', count: 1 },
    { what: 'image in HTML', count: 2 },
  ])
})

it('leaves no blanks that mean nothing', () => {
  expect(textOf('  <div>\n a \t b </div>\n\n <div> </div> c ')).toBe('a b\nc')
  expect(textOf('')).toBe('')
})

it('keeps all words that stand between tags', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abcäö😀12') })
  const tag = fc.constantFrom('<p>', '</p>', '<br>', '<b class="x">', '</b>', '<li>', '<!-- c -->')
  const property = fc.property(fc.array(fc.tuple(word, tag)), (pairs) => {
    const read = textOf(pairs.map(([text, mark]) => text + mark).join(''))
    expect(read.replace(/\s/g, '')).toBe(pairs.map(([text]) => text).join(''))
  })
  fc.assert(property)
})

it('reads long and hostile texts in one go', () => {
  for (const part of ['<', '<a', '<!--', '<script>', '&', '<a href="', '</', 'x<p']) {
    expect(typeof textOf(part.repeat(200_000))).toBe('string')
  }
})
