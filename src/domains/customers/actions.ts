// Creating, changing and deleting customers.
export { findCustomer, getCustomer, lockCustomer } from './store.js';
