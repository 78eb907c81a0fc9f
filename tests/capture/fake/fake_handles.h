#pragma once
// What the handles of the fake CUDA driver point to; shared by fake_cuda and fake_cupti.
struct FakeContext {
  unsigned id;
  unsigned device;
};
struct FakeStream {
  bool is_alive;
  unsigned id;
  FakeContext* context;
};
