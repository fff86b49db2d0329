/** A talk that ends badly, a turn a line, so that a finding stands on a line of its own. */
export const angry = `{"messages": [
  {"role": "user", "content": "Cancel order 7."},
  {"role": "assistant", "content": "Which order?"},
  {"role": "user", "content": "This is ridiculous, let me speak to a human."}
]}`

/** A talk of which nothing is to be found. */
export const calm = JSON.stringify({
  messages: [
    { role: 'user', content: 'What is the capital of France?' },
    { role: 'assistant', content: 'Paris.' },
  ],
})

/** A talk without a name. */
export const greeting = {
  messages: [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: 'hello' },
  ],
}

/** A talk with a name, as it is uploaded. */
export const question = { name: 'Order 7', turns: [{ role: 'user', content: 'Where is it?' }] }
