/** A conversation that ends badly, with one turn a line, so that each finding has its own line. */
export const angry = `{"messages": [
  {"role": "user", "content": "Cancel order 7."},
  {"role": "assistant", "content": "Which order?"},
  {"role": "user", "content": "This is ridiculous, let me speak to a human."}
]}`

/** A conversation without findings. */
export const calm = JSON.stringify({
  messages: [
    { role: 'user', content: 'What is the capital of France?' },
    { role: 'assistant', content: 'Paris.' },
  ],
})

/** A conversation without a name. */
export const greeting = {
  messages: [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: 'hello' },
  ],
}

/** An upload with a name. */
export const question = { name: 'Order 7', turns: [{ role: 'user', content: 'Where is it?' }] }
