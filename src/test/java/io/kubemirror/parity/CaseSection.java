package io.kubemirror.parity;

import module java.base;

/** Cases with a title. */
record CaseSection(String title, List<ParityCase> cases) {}
