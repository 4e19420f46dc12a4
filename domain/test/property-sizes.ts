import fc from "fast-check";

/** A generator with a stated bound reaches it. By default none makes more than about ten elements, whatever its bound says. */
fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true });
