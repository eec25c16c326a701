// The interface of stablecoins for the list of sealed columns.
export { credentialsContext } from './links.js';
