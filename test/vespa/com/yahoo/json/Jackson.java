package com.yahoo.json;

import com.fasterxml.jackson.databind.ObjectMapper;

/** Stands for a class of Vespa's container, which no package of Maven's repository has. */
public class Jackson {
  public static ObjectMapper mapper() {
    return new ObjectMapper();
  }

  public static ObjectMapper createMapper() {
    return new ObjectMapper();
  }
}
