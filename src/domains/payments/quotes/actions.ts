// The interface of quotes.
export { getQuote, lockQuote } from './store.js';
