// A test file that imports this module runs in a process of its own: it changes or reads what belongs to the whole process.
export {};
