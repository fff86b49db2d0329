import { expect, it } from 'vitest'
import { codexItem } from './event.js'

it('does not buffer bulk records until the end of a Codex log', () => {
  const bulk = 'QUJD'.repeat(100)
  const image = { type: 'input_image', image_url: `data:image/png;base64,${bulk}` }
  const items = [
    { type: 'reasoning', summary: [], encrypted_content: bulk },
    { type: 'web_search_call', action: {}, encrypted_content: bulk },
    { type: 'message', role: 'user', content: [image, { type: 'encrypted_content', encrypted_content: bulk }] },
    { type: 'function_call_output', call_id: 'a', output: [image] },
    { type: 'image_generation_call', result: bulk },
  ]
  for (const item of items) expect(JSON.stringify(codexItem(item))).not.toContain('QUJD')
})
