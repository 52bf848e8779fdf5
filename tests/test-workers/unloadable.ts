// Does not load.
throw new Error("nothing to load");
